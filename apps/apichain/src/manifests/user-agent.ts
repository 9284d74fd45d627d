/** The user agent of the requests that apply manifests, and the field manager of what they apply. */
export const manifestsUserAgent = 'apichain-up';
