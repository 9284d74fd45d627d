import type { JsonObject } from '@apichain/meta';

/**
 * The source of a server's own OpenAPI documents. Documents are built only when a client requests them; `revision` shows
 * cheaply whether any document has changed.
 */
export interface OpenApiSource {
  /** Whether the next server's documents take precedence where both servers have one. */
  readonly isBehind?: boolean;
  /** Changes when any document changes. */
  readonly revision: string;
  v2(): Promise<JsonObject>;
  /** Paths that have a v3 document, e.g. `api/v1`, `apis/apps/v1`, each with the revision of its document. */
  v3Paths(): ReadonlyMap<string, string>;
  /** The document of a path of `v3Paths`. */
  v3(path: string): Promise<JsonObject>;
}

/** Encodes the documents as protobuf, which kubectl requests. */
export interface OpenApiEncoders {
  encodeV2(document: JsonObject): Promise<Buffer>;
  encodeV3(document: JsonObject): Promise<Buffer>;
}
