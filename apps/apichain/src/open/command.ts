import { joinHostPort } from '@apichain/go-text';
import { isIP } from 'node:net';
import { StartupError } from '@apichain/chain/setup';
import type { CommandArguments } from '../commands/command.ts';
import { consoleUrl } from '../console-command.ts';
import { parseConsolePort } from '../up/console-port.ts';
import { withFreeConsolePort } from '../up/ports.ts';
import { OpenedBackup } from './opened-backup.ts';
import { sourceOf, sourceOptions } from './source.ts';

/** `apichain open`. Resolves when it was interrupted and everything is removed. Throws StartupError with one line. */
export async function openCommand(args: CommandArguments): Promise<void> {
  const started = performance.now();
  const [given] = args.arguments;
  if (given === undefined)
    throw new StartupError('open needs a backup: a file, a directory or the URL of an etcd (see apichain open --help)');
  const bindAddress = args.string('bind-address') ?? '';
  if (isIP(bindAddress) === 0) throw new StartupError(`--bind-address: "${bindAddress}" is not an IP address`);
  const securePort = Number(args.string('secure-port'));
  if (!Number.isInteger(securePort) || securePort < 1 || securePort > 65_535)
    throw new StartupError(`--secure-port: "${args.string('secure-port') ?? ''}" is not a port (1-65535)`);
  const { consolePort } = await withFreeConsolePort(
    parseConsolePort(args.boolean('console'), args.string('console-port')),
  );
  const options = sourceOptions(args);
  const source = sourceOf(given);
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const opened = new OpenedBackup(source, {
    ...options,
    bindAddress,
    securePort,
    consolePort,
    showSecrets: args.boolean('show-secrets'),
  });
  try {
    await Promise.race([opened.start(), opened.failed, interrupted]);
    if (opened.kubeconfig === undefined) return;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${given}: ${opened.description}`);
    console.log(`apichain shows it read-only at https://${joinHostPort(bindAddress, securePort)} (${seconds} s)`);
    console.log(`kubeconfig: ${opened.kubeconfig}`);
    console.log(`try: kubectl --kubeconfig ${opened.kubeconfig} get pods -A`);
    if (consolePort !== undefined) console.log(`console: ${await consoleUrl(opened.kubeconfig, given)}`);
    await Promise.race([opened.failed, interrupted]);
  } finally {
    await opened.stop();
  }
}
