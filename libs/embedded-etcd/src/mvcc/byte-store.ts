/** Small, so that a slab kept in memory by a single slice costs little. */
const slabBytes = 16_384;
/** Longer values get a separate buffer. */
const largestSlice = slabBytes / 4;

/**
 * Copies long-lived bytes out of the buffers they arrived in. Those buffers also contain short-lived data, and a slice that is kept would keep all
 * of it in memory. Here slices share slabs only with other long-lived slices.
 */
export class ByteStore {
  #slab = Buffer.alloc(0);
  #used = 0;

  keep(bytes: Buffer): Buffer {
    const { length } = bytes;
    if (length > largestSlice) return this.#own(bytes);
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#used = 0;
    }
    const kept = this.#slab.subarray(this.#used, this.#used + length);
    bytes.copy(kept);
    this.#used += length;
    return kept;
  }

  #own(bytes: Buffer): Buffer {
    if (bytes.length === bytes.buffer.byteLength) return bytes;
    const own = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(own);
    return own;
  }
}
