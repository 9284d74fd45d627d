import type { JsonObject } from '@apichain/meta';

/**
 * Where a server's own OpenAPI documents come from. Documents are asked for only when a client wants them; `revision` tells,
 * cheaply, whether one has changed since.
 */
export interface OpenApiSource {
  /** Of what the next server has too, the next server's is shown. */
  readonly isBehind?: boolean;
  /** Changes when any document does. */
  readonly revision: string;
  v2(): Promise<JsonObject> | JsonObject;
  /** Paths that have a v3 document, e.g. `api/v1`, `apis/apps/v1`, each with the revision of that document. */
  v3Paths(): ReadonlyMap<string, string>;
  /** The document of one of those paths. */
  v3(path: string): Promise<JsonObject> | JsonObject;
}

/** Protobuf forms of the documents, which kubectl asks for. */
export interface OpenApiEncoders {
  encodeV2(document: JsonObject): Buffer;
  encodeV3(document: JsonObject): Buffer;
}
