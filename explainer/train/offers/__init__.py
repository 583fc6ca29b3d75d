"""What the app offers to train: recipes, broken runs, experiments."""
