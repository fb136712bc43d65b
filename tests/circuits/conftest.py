"""Tests in the folders below import what lies here: random circuits, all inputs."""
