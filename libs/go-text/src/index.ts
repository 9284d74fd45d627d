export { readCommandLine } from './command-line.ts';
export { parseSchedule, scheduleError, ScheduleError } from './cron/parse-schedule.ts';
export type { CronSchedule } from './cron/schedule.ts';
export { TimeZone, isTimeZone } from './cron/time-zone.ts';
export { digitsFrom } from './digits.ts';
export {
  maxDurationLength,
  DurationError,
  formatDuration,
  parseDuration,
  parseDurationMs,
  humanDuration,
} from './duration.ts';
export { formatFloat, formatNumber, goFormat, goFormatString, goSyntax, goValueType } from './go-format.ts';
export { mediaTypeProblem } from './go-media-type.ts';
export { goQuote, goQuoteAll, goQuoteByte, goQuoteWhole, maxQuotedText, shortened } from './go-quote.ts';
export {
  GoTimeError,
  normalizeMicroTime,
  normalizeTime,
  formatGoTime,
  formatMicroTime,
  formatTime,
  parseTime,
  sameInstant,
} from './go-time.ts';
export { isRequestUri, parseGoUrl } from './go-url.ts';
export { decodeBrokenUtf8 } from './go-utf8.ts';
export {
  joinHostPort,
  canonicalCidr,
  canonicalIp,
  contains,
  familyName,
  hasLeadingZeros,
  isMappedIp,
  parseCidr,
  parseCidrLoosely,
  parseIp,
  parseIpLoosely,
  rangeSize,
  type IpAddress,
  type IpRange,
} from './ip.ts';
export { encodeQuery, escapePath } from './url-escapes.ts';
