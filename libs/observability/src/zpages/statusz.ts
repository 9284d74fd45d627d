import type { VersionInfo } from '@apichain/request';
import { anyDelimiter, zPageHead, type ZPage } from './zpage.ts';

/** API paths, which are not listed as debugging endpoints. */
const notForDebugging: ReadonlySet<string> = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

/** `/statusz`: start time, versions and debugging endpoints of the process. `paths` are those listed at `/`. */
export function statusz(version: VersionInfo, paths: () => readonly string[]): ZPage {
  const startTime = new Date(Date.now() - process.uptime() * 1000);
  const members = () => ({
    startTime: startTime.toISOString().replace(/\.\d+Z$/, 'Z'),
    uptimeSeconds: Math.max(0, Math.floor((Date.now() - startTime.getTime()) / 1000)),
    goVersion: version.goVersion,
    binaryVersion: version.gitVersion.replace(/^v/, ''),
    emulationVersion: `${version.emulationMajor}.${version.emulationMinor}`,
    paths: folders(paths()),
  });
  const text = () => {
    const { uptimeSeconds, goVersion, binaryVersion, emulationVersion, paths: listed } = members();
    const delimiter = anyDelimiter();
    const lines = [
      ['Started', unixDate(startTime)],
      ['Up', uptime(uptimeSeconds)],
      ['Go version', goVersion],
      ['Binary version', binaryVersion],
      ['Emulation version', emulationVersion],
      ['Paths', listed.join(' ')],
    ].map(([name = '', value = '']) => `${name}${delimiter} ${value}\n`);
    return `${zPageHead('statusz')}\n${lines.join('')}`;
  };
  return { kind: 'Statusz', text, members };
}

/** The first segments of paths, each once, sorted. */
function folders(paths: readonly string[]): string[] {
  const all = paths.map((path) => `/${path.split('/')[1] ?? ''}`);
  return [...new Set(all)].filter((folder) => folder !== '/' && !notForDebugging.has(folder)).sort();
}

const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');

const uptime = (seconds: number): string =>
  `${Math.floor(seconds / 3600)} hr ${twoDigits((seconds / 60) % 60)} min ${twoDigits(seconds % 60)} sec`;

/** `Wed Oct 16 21:03:43 UTC 2024`. */
function unixDate(date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date.toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2, ' ')} ${time} UTC ${year}`;
}
