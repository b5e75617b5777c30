"""Figures fit for print, one module for each; drawn by matplotlib, which comes with the extra `[figures]`."""
