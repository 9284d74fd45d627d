export { CborError } from './cbor-error.ts';
export { decodeCbor, looksLikeCbor } from './decode.ts';
export { cborPieces, encodeCbor, encodeCborItem, encodingCbor } from './encode.ts';
export { encodingCborWatchEvent } from './watch-event.ts';
