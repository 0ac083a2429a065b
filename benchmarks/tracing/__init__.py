"""Path-traced tables: exact OpenCV rays, room light, denoising; the webcam is that of `benchmarks.training.webcam`."""
