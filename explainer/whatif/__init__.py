"""What if? Changes to a pass of the model that visitors can make, combine, put into a link and take back."""
