import { useState } from 'preact/hooks';
import { messageOf } from '../api/api.ts';
import { logIn, type LoggedIn } from '../api/session.ts';
import { useDrafts } from '../object/drafts.ts';
import { fieldOf, Problem } from '../parts/parts.tsx';

interface Props {
  /** Who was logged in before; undefined at first. */
  readonly before: string | undefined;
  readonly onLogin: (session: LoggedIn) => void;
}

/** Shown without a session: how to get a URL that logs in, and a field for a token. */
export function LoginView({ before, onLogin }: Props) {
  const [problem, setProblem] = useState<string>();
  const drafts = useDrafts();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem(undefined);
    const token = fieldOf(event.currentTarget as HTMLFormElement, 'token');
    const session = await logIn({ token });
    if (session === undefined) setProblem('The API does not accept this token.');
    else onLogin(session);
  };
  return (
    <main class="login">
      <img src="/icon.svg" alt="" width="44" height="44" />
      <h1>apichain console</h1>
      {before !== undefined && (
        <p class="note-box" role="status">
          The session of {before} has ended: the chain was started again, or the session has expired. Log in again, here
          in this tab, to go on where you were.
          {drafts.length > 0 && ` Your drafts are kept: ${drafts.map(({ title }) => title).join(', ')}.`}
        </p>
      )}
      <p>
        Run <code>apichain console</code> in a terminal on this machine and open the URL that it prints. It logs in
        once, as the administrator of the chain.
      </p>
      <form onSubmit={(event) => void submit(event).catch((error: unknown) => setProblem(messageOf(error)))}>
        <label>
          <span>
            Or log in with a token, for example of <code>kubectl create token</code>
          </span>
          <input name="token" type="password" required autocomplete="off" spellcheck={false} />
        </label>
        <button class="primary">Log in</button>
        {problem !== undefined && <Problem text={problem} />}
      </form>
    </main>
  );
}
