"""What went wrong, in the words of the protocol (handbook section 8)."""


class ProviderError(Exception):
    def __init__(self, code, message, *, retryable=False):
        super().__init__(message)
        self.code, self.message, self.retryable = code, message, retryable
