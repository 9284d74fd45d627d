import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdmissionChain, ObjectInterfaces } from '@apichain/admission';
import type { Authorizer } from '@apichain/authz';
import { formatGroupVersion, newNotAcceptable, type GroupVersionResource, type KubeObject } from '@apichain/meta';
import type { KnownKinds, ObjectDecoder } from '../negotiation/decode-object.ts';
import type { EndpointRestrictions } from '@apichain/request';
import type { ProtobufCodec } from '@apichain/request';
import { objectHead, type ObjectHead } from '../negotiation/representation.ts';
import type { RequestContext } from '@apichain/request';
import type { ObjectCodec } from '../registry/object-codec.ts';
import type { ResourceStorage } from '../registry/rest.ts';
import { typedCodec } from '../registry/typed-codec.ts';
import { objectInterfaces } from './object-interfaces.ts';
import type { Query } from '@apichain/request';

/** What the endpoints of a server share. */
export interface EndpointServices {
  readonly admission?: AdmissionChain;
  /** Asked for `create` when an update or apply is about to create. */
  readonly authorizer: Authorizer;
  readonly protobuf?: ProtobufCodec;
  readonly kinds: KnownKinds;
  /** Watches without timeoutSeconds last this long to twice as long, in seconds. */
  readonly minRequestTimeout: number;
  /** They are custom resources. */
  readonly custom?: boolean;
}

/** One endpoint's standing facts, made at installation. */
export interface EndpointScope {
  readonly storage: ResourceStorage;
  readonly codec: ObjectCodec;
  readonly head: ObjectHead;
  readonly resource: GroupVersionResource;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly services: EndpointServices;
  /** What admission plugins may ask about the objects. */
  readonly interfaces: ObjectInterfaces;
  readonly restrictions: EndpointRestrictions;
  /** An object of the kind with nothing in it but what Go's zero value shows; bookmarks are made of it. Not to be changed. */
  readonly blank: () => KubeObject;
  /** Key of the protobuf form among the shapes of an object. */
  readonly protobufShape: string;
  encodeProtobuf(object: KubeObject): Buffer;
}

/** One request on its way through an endpoint. */
export interface EndpointRequest {
  readonly ctx: RequestContext;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: Query;
  readonly name: string;
  readonly namespace: string;
}

export function endpointScope(
  storage: ResourceStorage,
  resource: GroupVersionResource,
  services: EndpointServices,
): EndpointScope {
  const codec = storage.codec ?? typedCodec({ kind: storage.info.kind, type: storage.type });
  const head = objectHead(codec);
  let blank: KubeObject | undefined;
  return {
    storage,
    codec,
    head,
    blank: () => (blank ??= blankObject(codec)),
    resource,
    subresource: storage.path.split('/').slice(1).join('/'),
    services,
    interfaces: objectInterfaces(storage, codec, resource, services.kinds),
    restrictions: { table: storage.table !== undefined, transforms: true, protobuf: services.custom !== true },
    protobufShape: `protobuf;${head.apiVersion}`,
    encodeProtobuf(object) {
      const { protobuf } = services;
      if (protobuf === undefined) {
        throw newNotAcceptable(
          `object *${codec.kind.version}.${codec.kind.kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
        );
      }
      return protobuf.encode(object);
    },
  };
}

function blankObject(codec: ObjectCodec): KubeObject {
  const { kind, storageKind } = codec;
  if (codec.canonicalize === undefined || codec.custom) {
    return { kind: kind.kind, apiVersion: formatGroupVersion(kind), metadata: {} };
  }
  const stored = { kind: storageKind.kind, apiVersion: formatGroupVersion(storageKind), metadata: {} };
  const blank = codec.fromStorage(codec.canonicalize(stored));
  codec.showZeroes?.(blank);
  return blank;
}

/** What reads the bodies of the endpoint. */
export function objectDecoder({ codec, services }: EndpointScope): ObjectDecoder {
  const { kinds, protobuf } = services;
  return { codec, kinds, ...(protobuf === undefined ? {} : { protobuf }) };
}
