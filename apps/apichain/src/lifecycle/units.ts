const mebibyte = 2 ** 20;

/** A number of bytes in MiB, or in KiB where that would be less than one. */
export const bytesText = (bytes: number): string =>
  bytes < mebibyte ? `${Math.ceil(bytes / 2 ** 10)} KiB` : `${Math.round(bytes / mebibyte)} MiB`;
