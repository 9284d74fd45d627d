/** A number of bytes in MiB. */
export const bytesText = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
