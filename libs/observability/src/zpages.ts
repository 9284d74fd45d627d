import type { IncomingMessage, ServerResponse } from 'node:http';
import { newNotAcceptable, type KubeObject } from '@apichain/meta';
import {
  acceptClauses,
  wireFormatsOf,
  writeDocument,
  scopeOf,
  writeText,
  type Clause,
  type OutputMediaType,
  type SerializerInfo,
  type PathHandler,
  type VersionInfo,
} from '@apichain/request';

/** A page about the server: text for people, and an object of the group config.k8s.io for programs. */
interface ZPage {
  /** E.g. `Statusz`; the path is the kind in lower case. */
  readonly kind: string;
  text(): string;
  /** The members after apiVersion, kind and metadata. */
  members(): Readonly<Record<string, unknown>>;
}

const group = 'config.k8s.io';
const versions: readonly string[] = ['v1beta1', 'v1alpha1'];
const deprecated = 'v1alpha1';
/** The name of the component on these pages, the same for every server of the chain (server/genericapiserver.go of k8s.io/apiserver). */
const componentName = 'apiserver';

const textType = 'text/plain';
/** The formats of the object form. */
const structured = (request: IncomingMessage): readonly SerializerInfo[] =>
  wireFormatsOf(request).serializers.filter(({ name }) => name !== 'protobuf');

interface StructuredOutput {
  readonly output: OutputMediaType;
  readonly version: string;
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  const [wantedType, wantedSubtype] = mediaType.split('/');
  return (type === '*' || type === wantedType) && (subtype === '*' || subtype === wantedSubtype);
}

/** The object form is sent only if `g`, `v` and `as` request it, text only if these are absent. */
function negotiate(
  accept: string,
  kind: string,
  serializers: readonly SerializerInfo[],
): StructuredOutput | typeof textType | undefined {
  for (const clause of acceptClauses(accept)) {
    const { parameters } = clause;
    const version = parameters.get('v') ?? '';
    const named = parameters.get('g') === group && parameters.get('as') === kind && versions.includes(version);
    const plain = !['g', 'v', 'as', 'stream', 'sv'].some((name) => parameters.has(name));
    const serializer = serializers.find(({ mediaType }) => named && matches(clause, mediaType));
    if (serializer !== undefined) {
      return { version, output: { serializer, pretty: parameters.get('pretty') === '1' } };
    }
    if (plain && matches(clause, textType)) return textType;
  }
  return undefined;
}

function newNothingAccepted(serializers: readonly SerializerInfo[]) {
  const [json = '', yaml = '', ...more] = serializers.map(({ mediaType }) => mediaType);
  return newNotAcceptable(`only the following media types are accepted: ${[json, yaml, textType, ...more].join(', ')}`);
}

/** Throws NotAcceptable. https://kubernetes.io/docs/reference/instrumentation/zpages/ */
export function zPageHandler(page: ZPage): PathHandler {
  return (_context, request, response) => {
    const accept = request.headers.accept?.trim() ?? '';
    const accepted = accept === '' ? textType : negotiate(accept, page.kind, structured(request));
    if (accepted === undefined) throw newNothingAccepted(structured(request));
    if (accepted === textType) writeText(response, 200, page.text());
    else return writeStructured(page, accepted, request, response);
  };
}

function writeStructured(
  page: ZPage,
  { output, version }: StructuredOutput,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const name = page.kind.toLowerCase();
  if (version === deprecated) {
    scopeOf(request).warn(`This version of the ${name} endpoint is deprecated. Please use a newer version.`);
  }
  const object: KubeObject = {
    kind: page.kind,
    apiVersion: `${group}/${version}`,
    metadata: { name: componentName },
    ...page.members(),
  };
  const document = {
    json: () => Buffer.from(JSON.stringify(object)),
    value: () => object,
    protobuf: () => {
      throw newNothingAccepted(structured(request));
    },
  };
  return writeDocument(request, response, 200, document, output, scopeOf(request).query);
}

const caution =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

/** The beginning of the text form. */
const zPageHead = (name: string): string => `\n${componentName} ${name}\n${caution}\n`;

const delimiters = [':', ': ', '=', ' '] as const;

/** The delimiter between a name and its value. It is random, so that clients do not rely on it. */
const anyDelimiter = (): string => delimiters[Math.floor(Math.random() * delimiters.length)] ?? ':';

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

/** `/flagz`: the flags of the process and their values. Flags contain no secrets, only the names of files with secrets. */
export function flagz(flags: () => Readonly<Record<string, string>>): ZPage {
  let text: string | undefined;
  const makeText = () => {
    const delimiter = anyDelimiter();
    const lines = Object.entries(flags()).map(([name, value]) => `${name}${delimiter}${value}\n`);
    return `${zPageHead('flagz')}${lines.join('')}`;
  };
  return { kind: 'Flagz', text: () => (text ??= makeText()), members: () => ({ flags: flags() }) };
}
