export {
  currentActivity,
  withRuntime,
  type Activity,
  type FollowedResource,
  type Follower,
  type FollowerState,
  type Runtime,
} from './runtime.ts';
export { BoundedCache } from './bounded-cache.ts';
export { ownBytes, ownText } from './own-memory.ts';
export {
  emptied,
  factsOfLiterals,
  formerValues,
  isWholeFloat,
  type DocumentFacts,
  type JsonContainer,
  type List,
  type Occurrence,
  type RepeatedMembers,
  type Struct,
} from './document-facts.ts';
export { addressAnnotation } from './address-annotation.ts';
export { machineClock, type Clock, type TimerKind } from './clock.ts';
export { currentTime, currentTimestamp, sleepByClock, startTimer, withClock } from './current-time.ts';
export { newUid, random, randomBelow, seededRandom } from './random.ts';
export { lazy, oncePerObject } from './lazy.ts';
export { closeAll } from './close-all.ts';
export { compareText, isSorted } from './compare-text.ts';
export { compareVersions } from './compare-versions.ts';
export { deepClone, deepEqual, equalityText, semanticEqual } from './deep.ts';
export { FairLine } from './fair-line.ts';
export {
  domainPrefixedPathErrors,
  byteLength,
  inclusiveRangeError,
  isCIdentifier,
  isConditionReason,
  isConfigMapKey,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123LabelBytes,
  isDNS1123Subdomain,
  isDNS1123SubdomainBytes,
  isDNS1123SubdomainWithUnderscore,
  isHTTPHeaderName,
  isInRange,
  isQualifiedName,
  isRelaxedEnvVarName,
  isValidGroupID,
  isValidLabelValue,
  isValidPathSegmentName,
  isValidPercent,
  isValidPortName,
  isValidPortNum,
  isValidUserID,
  isWildcardDNS1123Subdomain,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  validatePathSegmentName,
  type NameValidator,
} from './names.ts';
export { aggregateMessage, asError, errorMessage, hasErrorCode } from './error-message.ts';
export * as field from './field-error.ts';
export {
  isContainer,
  isJsonObject,
  isList,
  isRecord,
  ensureRecord,
  list,
  type Plain,
  record,
  records,
  text,
  texts,
} from './unstructured.ts';
export type { FieldError } from './field-error.ts';
export { claimPort, freePort, listenOnce } from './free-port.ts';
export { didYouMean } from './nearest-name.ts';
export { escapeFieldValue, parseFieldSelector, type FieldSelector } from './field-selector.ts';
export { JsonNumberError, JsonSyntaxError, inDocumentOrder, maxLiteralPath, type ParsedJson } from './json.ts';
export {
  JsonPatchError,
  JsonPatchTooLargeError,
  applyJsonPatch,
  decodeJsonPatch,
  type JsonPatchOperation,
} from './json-patch.ts';
export { indentedPieces, indentJson, stringifySortedJson } from './json-text.ts';
export { parseJson, parseJsonInSlices, parseJsonStrict } from './json.ts';
export { escapeHtml, stringifyJson } from './stringify-json.ts';
export {
  LabelSelector,
  labelSelectorFromObject,
  printLabelSelector,
  parseLabelSelector,
  type LabelSelectorObject,
} from './label-selector.ts';
export { lookupTable, own, setOwn } from './own-members.ts';
export { makeDirectory } from './make-directory.ts';
export { documentsOf, objectsIn, objectsOfDocument, objectsOfManifest } from './manifest.ts';
export { applyMergePatch } from './merge-patch.ts';
export { countMembers, exceedsMembers, hasAtMost, maxMembers, newTooManyMembers } from './member-limit.ts';
export {
  validateAnnotations,
  validateFieldManager,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
} from './object-meta.ts';
export { pemBlocks, type PemBlock } from './pem.ts';
export { isClosedToOthers, listenPrivately } from './private-files.ts';
export { Quantity, QuantityError, newQuantity, parseQuantity, quantityFromJson, trimQuantity } from './quantity.ts';
export { SelectorError } from './selector-error.ts';
export { sortMembers } from './sorted-members.ts';
export {
  StatusError,
  isNamespaceGoing,
  isNamespaceTerminating,
  isStatusError,
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newGenerateNameConflict,
  newGenericNotFound,
  isUnexpectedServerError,
  newGenericServerResponse,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newReadOnly,
  newNotAcceptable,
  newNotFound,
  newNotImplemented,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServiceUnavailable,
  newStorageReadError,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnauthorized,
  newUnknownError,
  newUnsupportedMediaType,
  optimisticLockMessage,
  serverResponseMessage,
  successStatus,
  type Status,
  type StatusDetails,
} from './status.ts';
export { sorting } from './sorting.ts';
export { TurnBatch } from './turn-batch.ts';
export { attributeWork, finish, inSlices, inTurns, pause, type Step, type SteppedWork, type Work } from './turns.ts';
export {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  isSameKind,
  parseGroupVersion,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
} from './types.ts';
export { withoutTrailing } from './without-trailing.ts';
export { YamlError } from './yaml-error.ts';
export type { ParsedYaml } from './yaml-reader/reader.ts';
export { stringifyYaml, yamlPieces, yamlText } from './yaml-writer.ts';
export { parseYaml, parseYamlInSlices, parseYamlStrict } from './yaml.ts';
export { poll } from './poll.ts';
export { sleep, untilAborted } from './sleep.ts';
export { ReconnectBackoff } from './reflector/reconnect-backoff.ts';
export {
  HistoryLostError,
  isHistoryLost,
  reflect,
  type ReflectorOptions,
  type ReflectorState,
} from './reflector/reflector.ts';
export { assign, findCondition, firstByName, int64, integer, isSet } from './values.ts';
export { memberCount, parsingJson, type Omits } from './json-parts.ts';
export { LazyList, type Pieces } from './lazy-list.ts';
export {
  listFacts,
  receiveDocument,
  receiveDocumentAtOnce,
  sendDocument,
  sendDocumentAtOnce,
  type ListedFacts,
  type SentDocument,
} from './sent-document.ts';
