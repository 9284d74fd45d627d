import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PathHandler, PathMux } from '@apichain/request';
import { scopeOf } from '@apichain/request';
import { writeText } from '@apichain/request';
import { encodePprof, type PprofProfile } from './pprof-profile.ts';
import { cpuProfile, heapProfile, ProfilingInUse } from './v8-profiles.ts';

interface ProfileKind {
  readonly description: string;
  readonly defaultSeconds: number;
  make(milliseconds: number, signal: AbortSignal): Promise<PprofProfile>;
}

/** The profiles that V8 supports. There are none for goroutines, mutexes and threads, which only Go has. */
const profiles: Readonly<Record<string, ProfileKind>> = {
  allocs: {
    description: 'What is allocated during so many seconds; seconds=10 unless given.',
    defaultSeconds: 10,
    make: (milliseconds, signal) => heapProfile('all', milliseconds, signal),
  },
  heap: {
    description: 'What is allocated during so many seconds and still in use at their end; seconds=10 unless given.',
    defaultSeconds: 10,
    make: (milliseconds, signal) => heapProfile('inUse', milliseconds, signal),
  },
  profile: {
    description: 'Where the CPU spends its time during so many seconds; seconds=30 unless given.',
    defaultSeconds: 30,
    make: cpuProfile,
  },
};

const root = '/debug/pprof/';
const compress = promisify(gzip);

/** `/debug/pprof/`: profiles of the process for `go tool pprof`, as net/http/pprof of Go serves them. */
export function installProfiling(paths: PathMux): void {
  paths.handle(
    root.slice(0, -1),
    (_context, _request, response) => {
      response.writeHead(302, { Location: root, 'Content-Type': 'text/html; charset=utf-8' });
      response.end(`<a href="${root}">Found</a>.\n\n`);
    },
    false,
  );
  paths.handlePrefix(root, servePprof, false);
}

const servePprof: PathHandler = async (_context, request, response) => {
  const { path } = scopeOf(request);
  const name = path.slice(root.length);
  if (name === '') serveIndex(response);
  // Profiles include symbol names, so there are no symbols to look up.
  else if (name === 'symbol') writeText(response, 200, 'num_symbols: 0\n');
  else {
    const kind = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    if (kind === undefined) refuse(response, 404, 'Unknown profile');
    else await serveProfile(name, kind, request, response);
  }
};

function serveIndex(response: ServerResponse): void {
  const items = Object.entries(profiles).map(
    ([name, { description }]) => `<li><a href="${name}">${name}</a>: ${description}</li>\n`,
  );
  const body = `<html>\n<head>\n<title>${root}</title>\n</head>\n<body>\n<p>${root}</p>\n<ul>\n${items.join('')}</ul>\n</body>\n</html>\n`;
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function serveProfile(
  name: string,
  kind: ProfileKind,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const scope = scopeOf(request);
  const asked = Number(scope.query.text('seconds'));
  const seconds = Number.isFinite(asked) && asked > 0 ? asked : kind.defaultSeconds;
  try {
    const profile = await kind.make(seconds * 1000, scope.signal);
    const body = await compress(encodePprof(profile));
    response.writeHead(200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${name}"`,
      'X-Content-Type-Options': 'nosniff',
      'Content-Length': body.length,
    });
    response.end(body);
  } catch (error) {
    if (!(error instanceof ProfilingInUse)) throw error;
    refuse(response, 500, `Could not enable CPU profiling: ${error.message}`);
  }
}

/** The header makes pprof show the message to its user. */
function refuse(response: ServerResponse, code: number, text: string): void {
  response.setHeader('X-Go-Pprof', '1');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  writeText(response, code, `${text}\n`);
}
