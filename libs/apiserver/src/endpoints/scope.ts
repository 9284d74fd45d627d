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

/** The services that the endpoints of a server share. */
export interface EndpointServices {
  readonly admission?: AdmissionChain;
  /** Checks the `create` permission when an update or apply is about to create an object. */
  readonly authorizer: Authorizer;
  readonly protobuf?: ProtobufCodec;
  readonly kinds: KnownKinds;
  /** In seconds. Watches without timeoutSeconds last between this and twice this. */
  readonly minRequestTimeoutSeconds: number;
  /** Whether the resources are custom resources. */
  readonly custom?: boolean;
}

/** The fixed properties of one endpoint, computed at installation. */
export interface EndpointScope {
  readonly storage: ResourceStorage;
  readonly codec: ObjectCodec;
  readonly head: ObjectHead;
  readonly resource: GroupVersionResource;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly services: EndpointServices;
  /** The information about the objects that admission plugins can request. */
  readonly interfaces: ObjectInterfaces;
  readonly restrictions: EndpointRestrictions;
  /** An empty object of the kind, with the fields that Go's zero value shows. Used for bookmarks. Must not be changed. */
  readonly blank: () => KubeObject;
  /** The key of the protobuf encoding in the shapes of an object. */
  readonly protobufShape: string;
  encodeProtobuf(object: KubeObject): Buffer;
  /** Throws NotAcceptable when the endpoint has no protobuf. */
  protobufCodec(): ProtobufCodec;
}

/** One request to an endpoint. */
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
  const protobufCodec = () => {
    const { protobuf } = services;
    if (protobuf !== undefined) return protobuf;
    throw newNotAcceptable(
      `object *${codec.kind.version}.${codec.kind.kind} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
    );
  };
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
    encodeProtobuf: (object) => protobufCodec().encode(object),
    protobufCodec,
  };
}

function blankObject(codec: ObjectCodec): KubeObject {
  const { kind, storageKind } = codec;
  if (codec.canonicalize === undefined || codec.custom || codec.convertAll !== undefined) {
    return { kind: kind.kind, apiVersion: formatGroupVersion(kind), metadata: {} };
  }
  const stored = { kind: storageKind.kind, apiVersion: formatGroupVersion(storageKind), metadata: {} };
  const blank = codec.fromStorage(codec.canonicalize(stored));
  codec.showZeroes?.(blank);
  return blank;
}

/** The decoder of the endpoint's request bodies. */
export function objectDecoder({ codec, services }: EndpointScope): ObjectDecoder {
  const { kinds, protobuf } = services;
  return { codec, kinds, protobuf };
}
