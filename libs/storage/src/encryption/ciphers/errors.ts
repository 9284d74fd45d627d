/** A value that ends before its nonce and tag do. */
export const storedTooShort = (): Error => new Error('the stored data was shorter than the required size');
