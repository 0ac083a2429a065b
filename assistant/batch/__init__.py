"""Many films and logs judged again, on Dask."""
