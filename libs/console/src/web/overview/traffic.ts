import { consoleAgent, type RequestRecord } from '../requests/requests.ts';

/** What happened to requests lately. */
export interface Traffic {
  /** Seconds that the numbers are about. */
  readonly seconds: number;
  readonly perSecond: number;
  /** Requests that ended with 5xx, or without a response. */
  readonly failed: readonly RequestRecord[];
  /** Requests that ended with 4xx. */
  readonly refused: readonly RequestRecord[];
  /** Longest first; watches and other long-running requests are left out. */
  readonly slowest: readonly RequestRecord[];
  /** Requests in each of the seconds, oldest first. */
  readonly bySecond: readonly number[];
}

const most = { seconds: 60, slowest: 5 } as const;
const longRunning = /[?&](watch|follow)=(1|true)|\/(exec|attach|portforward|proxy)\b/;

/** `records`: newest first, without gaps. They may reach back less than a minute; then the numbers are about that time. */
export function trafficOf(records: readonly RequestRecord[], now: number): Traffic {
  const oldest = records.at(-1)?.receivedAt ?? now;
  const seconds = Math.min(most.seconds, Math.max(1, Math.ceil((now - oldest) / 1000)));
  const recent = records.filter(
    ({ receivedAt, userAgent }) => receivedAt > now - seconds * 1000 && userAgent !== consoleAgent,
  );
  const bySecond = Array.from({ length: seconds }, () => 0);
  for (const { receivedAt } of recent) {
    const at = seconds - 1 - Math.max(0, Math.floor((now - receivedAt) / 1000));
    bySecond[at] = (bySecond[at] ?? 0) + 1;
  }
  return {
    ...{ seconds, bySecond, perSecond: recent.length / seconds },
    failed: recent.filter(({ code }) => code >= 500 || code === 0),
    refused: recent.filter(({ code }) => code >= 400 && code < 500),
    slowest: recent
      .filter(({ uri }) => !longRunning.test(uri))
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, most.slowest),
  };
}
