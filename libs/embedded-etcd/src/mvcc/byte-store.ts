/** Small enough that a slab which one remaining slice keeps alive costs little. */
const slabBytes = 16_384;
/** What is larger gets memory of its own. */
const largestSlice = slabBytes / 4;

/**
 * Copies what is to be kept for long out of the buffers it arrived in. Those are slices of blocks that hold much that is soon forgotten; a
 * kept slice would keep all of it in memory. Here slices lie next to others that are kept.
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
