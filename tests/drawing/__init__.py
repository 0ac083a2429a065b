"""Tables, disks and films drawn for tests."""
