"""The families of classroom sentences, one module each."""
