import { certificatesCommand, certificatesHelp } from './certificates/command.ts';
import { probeCommand } from './probe.ts';
import { StartupError } from './startup-error.ts';
import { upCommand, upHelp } from './up/command.ts';
import { versionText } from './version.ts';

const help = `apichain runs the Kubernetes API server chain.

  apichain up             starts etcd and the three services, and writes a kubeconfig
  apichain certificates   makes certificates for services that are started one by one
  apichain probe          asks a health path; for container health checks
  apichain version        prints the version

\`apichain COMMAND --help\` tells more.
`;

interface Command {
  readonly run: (args: readonly string[]) => Promise<void>;
  readonly help: string;
}

const commands: Readonly<Record<string, Command>> = {
  up: { run: upCommand, help: upHelp },
  certificates: { run: certificatesCommand, help: certificatesHelp },
  probe: { run: probeCommand, help: 'apichain probe --url URL --ca-file FILE\n' },
  version: {
    run: async () => {
      console.log(versionText());
    },
    help: 'apichain version\n',
  },
};

async function main(args: readonly string[]): Promise<void> {
  const [name = '', ...rest] = args;
  if (name === '' || name === '--help' || name === '-h' || name === 'help') {
    console.log(help);
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new StartupError(`unknown command "${name}": see apichain --help`);
  if (rest.includes('--help') || rest.includes('-h')) console.log(command.help);
  else await command.run(rest);
}

// Whoever read what we print may be gone; that is no reason to leave the chain running without us.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof StartupError || isArgumentError(error)) console.error(`apichain: ${error.message}`);
  else console.error(error);
  process.exitCode = 1;
}

function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
