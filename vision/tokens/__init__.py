"""Small tokens on disks."""
