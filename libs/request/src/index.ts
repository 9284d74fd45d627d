export { mayRespond } from './respond-once.ts';
export {
  auditLevels,
  auditStages,
  type AuditLevel,
  type AuditStage,
  AuditEvent,
  type ObjectReference,
  type ResponseStatus,
} from './audit/event.ts';
export { RequestAudit } from './audit/request-audit.ts';
export type { RequestContext } from './context.ts';
export { runForRequest, currentWorkers, type Workers } from './current-request.ts';
export { noteDeprecation, removedRelease } from './warning-recorder.ts';
export { type Filter, createApp, createHttp2App, type HttpApp } from './http-app.ts';
export { isExemptFromShutdown } from './filters/exempt-from-shutdown.ts';
export { apiServerId } from './identity.ts';
export { admitLargeList, takePlaceForDocument } from './large-work.ts';
export { createLogger, levelOf, type Logger } from './logging.ts';
export { LoopbackAuthenticator, type LoopbackConfig } from './loopback.ts';
export {
  newMethodNotAllowed,
  checkRoute,
  writePlainDocument,
  writePlainDocument as serveDocument,
} from './plain-document.ts';
export {
  acceptClauses,
  acceptsAny,
  negotiateOutput,
  plainRestrictions,
  requireStream,
  type Clause,
  type Conversion,
  type EndpointRestrictions,
  type OutputMediaType,
} from './negotiation/accept.ts';
export { JoinedBytes } from './negotiation/joined-bytes.ts';
export {
  applyCborPatchMediaType,
  applyPatchMediaType,
  cborSequenceMediaType,
  formatsWithCbor,
  jsonMediaType,
  jsonPatchMediaType,
  mergePatchMediaType,
  protobufMediaType,
  standardFormats,
  strategicMergePatchMediaType,
  yamlMediaType,
  type SerializerInfo,
  type SerializerName,
  type WireFormats,
} from './negotiation/media-types.ts';
export {
  BodySyntaxError,
  duplicateField,
  negotiateInput,
  parseBody,
  parseJsonBody,
  unsupportedBody,
  type ParsedBody,
} from './negotiation/parse-body.ts';
export type { ProtobufCodec } from './negotiation/protobuf.ts';
export { Query, noQuery, parseQuery } from './negotiation/query.ts';
export { readAhead, type ReadAhead } from './negotiation/read-ahead.ts';
export { bodyReadAhead, readBody, readBodyAhead } from './negotiation/read-body.ts';
export type { Document, WholeDocument, ListContents } from './negotiation/document.ts';
export { asLargeItem, largeItemInTurns } from './negotiation/large-items.ts';
export { writeDocument, writeError } from './negotiation/write-response.ts';
export { PathMux, type PathHandler } from './path-mux.ts';
export { surviveErrors } from './process-errors.ts';
export { endWithResponse, enter, type Upgrade } from './request-entry.ts';
export { isLongRunning, parseRequestInfo, type RequestInfo } from './request-info.ts';
export {
  RequestScope,
  attachScope,
  findScope,
  wireFormatsOf,
  scopeOf,
  takeUpgrade,
  type PendingUpgrade,
} from './request-scope.ts';
export { ServerRuntime } from './server-runtime.ts';
export { splitUrl, withoutOrigin } from './request-url.ts';
export { watchResponse } from './response-watch.ts';
export {
  sanitizeHtml,
  writeNotFound,
  writeRawJson,
  writeStatusError,
  writeText,
  writeTextError,
  writeTimeout,
} from './responses.ts';
export { recordOf, switchingProtocols, type RequestObserver, type RequestRecord } from './times/request-record.ts';
export { relayTimes, takeTimesOf, timesHeader } from './times/relay.ts';
export type { LatencyPart, TimedPart } from './times/request-times.ts';
export { serverVersion, type VersionInfo } from './version.ts';
