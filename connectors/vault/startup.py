"""Checks that run before anything is served."""
