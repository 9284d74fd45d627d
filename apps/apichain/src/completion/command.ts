import type { Command, CommandArguments, Flag } from '../commands/command.ts';
import { StartupError } from '@apichain/chain/setup';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `apichain completion SHELL`, for all `commands`. */
export async function completionCommand(
  commands: readonly Command[],
  { arguments: [shell] }: CommandArguments,
): Promise<void> {
  const script = shell === undefined ? undefined : scripts[shell];
  if (script === undefined) throw new StartupError('which shell? apichain completion bash, zsh or fish');
  const { serviceFlags } = await import('./service-flags.ts');
  process.stdout.write(script(commands.map((command) => withFlags(command, serviceFlags))));
}

function withFlags(command: Command, services: readonly Flag[]): Command {
  const help: Flag = { name: 'help', summary: 'prints the help of the command' };
  const own = [...command.flags, help];
  const others = services.filter(({ name }) => own.every((flag) => flag.name !== name));
  return { ...command, flags: command.passesFlagsOn === true ? [...own, ...others] : own };
}
