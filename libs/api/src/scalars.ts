import type { JsonObject, JsonValue } from '@apichain/meta';

/** Values that have a JSON form of their own, as the decoder of libs/scheme leaves them. */

/** An integer of 64 bits: a bigint where a number cannot hold it (beyond 2^53). Numbers of 32 bits are plain `number`s. */
export type Int64 = number | bigint;

/** A meta/v1 Time: RFC 3339 in UTC, whole seconds, `2006-01-02T15:04:05Z`. */
export type Time = string;

/** A meta/v1 MicroTime: RFC 3339 in UTC, microseconds, `2006-01-02T15:04:05.000000Z`. */
export type MicroTime = string;

/** A meta/v1 Duration in Go's form, `1m30s`. */
export type Duration = string;

/** A quantity in canonical form, `500m`, `2Gi`: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
export type Quantity = string;

/** A number of 32 bits, or a text such as the name of a port or a percentage. */
export type IntOrString = number | string;

/** Bytes as base64 in the standard alphabet, with padding. */
export type Bytes = string;

/** An embedded object of any kind, as it was written. */
export type RawExtension = JsonValue;

/** An embedded object that is kept as its text: what audit events hold. */
export type Unknown = JsonValue;

/** The fields of an entry of managedFields. */
export type FieldsV1 = JsonObject;

/** Any JSON value: the JSON type of apiextensions.k8s.io. */
export type Json = JsonValue;
