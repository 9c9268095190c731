"""What research finds and hands on: documents, when they were published, the dossier of a finished run."""
