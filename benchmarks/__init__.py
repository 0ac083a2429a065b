"""Speed and accuracy, measured as ratios in one run."""
