/** What a pool sends to a thread. */
export interface WorkMessage {
  /** The name of a function of the program. */
  readonly name: string;
  readonly parts: readonly Uint8Array[];
}

/** What a thread sends back: the result, or the text of an error that the function did not handle. */
export type ResultMessage = { readonly parts: readonly Uint8Array[] } | { readonly failure: string };

/** The buffers to transfer instead of copying them. Shared memory is neither. */
export function transferable(parts: readonly Uint8Array[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { buffer } of parts) if (buffer instanceof ArrayBuffer) buffers.add(buffer);
  return [...buffers];
}

/** Bytes that own their memory, so that they can be transferred. A Buffer may be a part of memory that other buffers use. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength && !Buffer.isBuffer(bytes) ? bytes : new Uint8Array(bytes);
