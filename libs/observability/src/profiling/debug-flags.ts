import { goQuote } from '@apichain/go-text';
import type { ServerResponse } from 'node:http';
import { readBody } from '@apichain/request';
import type { PathMux } from '@apichain/request';

const root = '/debug/flags';

/** `PUT /debug/flags/v` with a number sets the log verbosity. After routes.DebugFlags of k8s.io/apiserver. */
export function installDebugFlags(paths: PathMux, setVerbosity: (verbosity: number) => void): void {
  const index =
    '<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n<ul>\n<li>v</li>\n</ul>\n</body>\n</html>\n';
  const serveIndex = (_context: unknown, _request: unknown, response: ServerResponse) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(index);
  };
  paths.handle(root, serveIndex, false);
  paths.handlePrefix(`${root}/`, serveIndex, false);
  paths.handle(
    `${root}/v`,
    async (_context, request, response) => {
      if (request.method !== 'PUT') {
        respond(response, 406, 'unsupported http method');
        return;
      }
      const text = (await readBody(request)).toString();
      const verbosity = Number(text);
      if (/^[+-]?\d+$/.test(text) && verbosity >= -(2 ** 31) && verbosity < 2 ** 31) {
        setVerbosity(verbosity);
        respond(response, 200, `successfully set klog.logging.verbosity to ${text}`);
      } else {
        const why = `strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`;
        respond(response, 400, `failed set klog.logging.verbosity ${text}: ${why}`);
      }
    },
    false,
  );
}

function respond(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' });
  response.end(`${text}\n`);
}
