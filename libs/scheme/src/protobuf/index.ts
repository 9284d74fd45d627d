export { ProtobufCodec, frameWatchEvent, type ProtobufCodecOptions } from './codec.ts';
export { hasProtobufMagic, protobufMagic, readEnvelope, type Envelope } from './envelope.ts';
export { ProtobufError, ProtobufMessageError } from './wire.ts';
