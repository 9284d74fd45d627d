import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Serves the built site on loopback, until the process ends. Its content security policy allows nothing from another host. */
export async function serve(folder: string, base: string, port: number): Promise<void> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = normalize(decodeURIComponent(pathname.startsWith(base) ? pathname.slice(base.length) : pathname));
    const found = [path, `${path}.html`, join(path, 'index.html')]
      .map((name) => join(folder, name))
      .find((name) => name.startsWith(folder) && existsSync(name) && statSync(name).isFile());
    response.statusCode = found === undefined ? 404 : 200;
    const file = found ?? join(folder, '404.html');
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.setHeader(
      'content-security-policy',
      "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    );
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  console.log(`http://127.0.0.1:${port}${base}`);
}
