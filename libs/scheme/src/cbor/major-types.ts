/** RFC 8949, section 3.1. */
export const majorType = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  array: 4,
  map: 5,
  tag: 6,
  simple: 7,
} as const;

export const majorTypeNames = [
  'positive integer',
  'negative integer',
  'byte string',
  'UTF-8 text string',
  'array',
  'map',
  'tag',
  'primitives',
] as const;

/** The prefix of every document: tag 55799, "self-described CBOR". */
export const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7]);
