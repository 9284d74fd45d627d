import http from 'node:http';
import { runService } from './supervise-workers.ts';

/*
 * A service on the port of `--port`: `/who` says which worker responded, `/all` what all of them respond, `/hang` does not return to the event loop.
 * `--late` fails every start of the first worker.
 */
const code = await runService('fixture', process.argv.slice(2), async (argv, worker) => {
  if (argv.includes('--broken')) {
    process.stderr.write('fixture: broken\n');
    return 3;
  }
  const told: string[] = [];
  worker?.respond('who', (text) => (worker.index === 2 ? undefined : `${worker.index} ${text}`));
  worker?.listen('note', (text) => void told.push(text));
  const server = http.createServer((request, response) => {
    const name = `${worker?.index ?? 'alone'} of ${worker?.count ?? 1}, ${process.pid}`;
    if (request.url === '/hang') for (;;);
    if (request.url === '/told') return response.end(told.join());
    if (request.url === '/share') return response.end(`${worker?.share(400)} ${worker?.share(1)} ${worker?.share(0)}`);
    if (request.url === '/tell') worker?.tell('note', `from ${worker.index}`);
    if (request.url !== '/all') return response.end(name);
    void worker?.ask('who', 'there').then((replies) => response.end(JSON.stringify(replies)));
  });
  const port = Number(argv.find((word) => word.startsWith('--port='))?.slice('--port='.length));
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  if (worker?.opensEarly !== false) {
    await listen();
    worker?.opened();
    await worker?.started();
  } else {
    await worker.started();
    await listen();
    worker.opened();
  }
  await new Promise<void>((resolve) => {
    process.on('SIGTERM', () => resolve());
    void worker?.replaced.then(() => resolve());
  });
  const closed = new Promise((resolve) => server.close(resolve));
  await worker?.caughtUp();
  await closed;
  return 0;
});
process.exit(code);
