import { joinHostPort } from '@apichain/go-text';
import type { UpChain } from './chain.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { holdNewSpace, releaseCompilers, releaseUnderLoad } from './heap.ts';
import { parseUpOptions } from './options.ts';

/** `apichain up`. Resolves when the chain has stopped. */
export async function upCommand(args: readonly string[]): Promise<void> {
  const started = performance.now();
  const options = parseUpOptions(args);
  const isSmall = options.inProcess && options.apis.name === 'minimal';
  if (isSmall) holdNewSpace();
  else releaseCompilers();
  const directory = openDataDirectory(options.dataDir);
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const chain = await (options.inProcess ? oneProcess(directory) : separateProcesses(directory));
  try {
    await Promise.race([chain.start(options), chain.failed, interrupted]);
    if (isSmall) releaseUnderLoad();
    if (chain.ready) {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(
        `apichain is ready at https://${joinHostPort(options.bindAddress, options.securePort)} (${seconds} s)`,
      );
      console.log(`kubeconfig: ${directory.kubeconfig}`);
      console.log(`try: kubectl --kubeconfig ${directory.kubeconfig} get namespaces`);
      for (const warning of chain.warnings()) console.error(`apichain: warning: ${warning}`);
      await Promise.race([chain.failed, interrupted]);
    }
  } finally {
    await chain.stop();
    directory.release();
  }
}

// Dynamic imports, so that each form loads only what it needs: with several processes, this process does not need the three servers.

async function separateProcesses(directory: DataDirectory): Promise<UpChain> {
  const { SeparateProcesses } = await import('./separate-processes.ts');
  return new SeparateProcesses(directory);
}

async function oneProcess(directory: DataDirectory): Promise<UpChain> {
  const { InProcessUp } = await import('./in-process.ts');
  return new InProcessUp(directory);
}
