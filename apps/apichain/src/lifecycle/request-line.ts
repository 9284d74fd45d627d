import { isRecord } from '@apichain/meta';
import { colored, type Meaning } from '../terminal/color.ts';
import { clock } from './clock.ts';

/** What is shown of a RequestRecord that was read from a log. */
interface ShownRequest {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly milliseconds: number;
  readonly user: string;
  readonly userAgent: string;
  readonly verb: string;
  readonly uri: string;
  readonly code: number;
  readonly answeredBy: string;
  /** Of a long-running request that succeeds: true when it is opened, false when it ends. */
  readonly isOpen?: boolean;
}

/** The request of a log entry that `--show-requests` made; undefined for other entries. */
export function requestOf(entry: Readonly<Record<string, unknown>> | undefined): ShownRequest | undefined {
  const request = entry?.['msg'] === 'request' ? entry['request'] : undefined;
  return isShownRequest(request) ? request : undefined;
}

const texts = ['user', 'userAgent', 'verb', 'uri', 'answeredBy'] as const;
const numbers = ['receivedAt', 'milliseconds', 'code'] as const;

const isShownRequest = (value: unknown): value is ShownRequest =>
  isRecord(value) &&
  texts.every((name) => typeof value[name] === 'string') &&
  numbers.every((name) => typeof value[name] === 'number') &&
  ['boolean', 'undefined'].includes(typeof value['isOpen']);

const widths = { time: 9, service: 13, verb: 6, user: 16 } as const;

/** A line for a terminal: when the request was received, or when one that was shown as open ended, and `requestText`. */
export function formatRequest(request: ShownRequest, isColored: boolean): string {
  const { receivedAt, milliseconds, isOpen } = request;
  return `${clock(isOpen === false ? receivedAt + milliseconds : receivedAt)}  ${requestText(request, isColored)}`;
}

/** Status code, duration or `open`, the service that answered, verb, user, path. */
export function requestText(request: ShownRequest, isColored: boolean): string {
  const { milliseconds, user, verb, uri, code, answeredBy, isOpen } = request;
  const status = code === 0 ? '---' : String(code);
  return [
    isColored ? colored(status, meaningOf(code)) : status,
    (isOpen === true ? 'open' : duration(milliseconds)).padStart(widths.time),
    answeredBy.padEnd(widths.service),
    verb.padEnd(widths.verb),
    printable(user).padEnd(widths.user),
    printable(uri),
  ].join('  ');
}

/** What clients sent cannot control the terminal. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?');

const meaningOf = (code: number): Meaning =>
  code >= 500 || code === 0 ? 'failure' : code >= 400 ? 'warning' : 'success';

function duration(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 1_000)} s`;
}
