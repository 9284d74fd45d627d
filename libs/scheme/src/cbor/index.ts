export { CborError } from './cbor-error.ts';
export { decodeCbor, looksLikeCbor } from './decode.ts';
export { cborPieces, encodeCbor, encodeCborItem, encodeCborWatchEvent } from './encode.ts';
