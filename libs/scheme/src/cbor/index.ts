export { CborError } from './cbor-error.ts';
export { decodeCbor, looksLikeCbor } from './decode.ts';
export { cborPieces, encodeCbor, encodeCborItem, encodingCbor, encodingCborWatchEvent } from './encode.ts';
