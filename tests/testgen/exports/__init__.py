"""Exports of test set files, and small files to export."""
