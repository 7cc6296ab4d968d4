"""The rules, one file each. The folder is the list: a new file is a new rule."""
