/** Field errors and the checks that find them. Other libraries import them as the namespace `field`. */
export {
  aggregateFieldErrors,
  maxShownText,
  shownErrors,
  textOfShown,
  type ShownErrors,
} from './field-error/aggregate.ts';
export { checkEach, collect, collectEach, maxErrors, type MemberCheck } from './field-error/collect.ts';
export {
  duplicate,
  forbidden,
  formatBadValue,
  internal,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  type FieldError,
  type FieldErrorReason,
} from './field-error/errors.ts';
export { child, index, key } from './field-error/path.ts';
