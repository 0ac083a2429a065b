"""Many tables into one database: tables report, judges answer, everybody sees the hall."""
