/** For a stored value that is too short to contain its nonce and tag. */
export const storedTooShort = (): Error => new Error('the stored data was shorter than the required size');
