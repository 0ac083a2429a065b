"""Search for the roster's art where no rim gave a disk away."""
