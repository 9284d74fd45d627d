import { useState } from 'preact/hooks';
import { messageOf } from '../api/api.ts';
import { fieldOf, Problem } from '../parts/parts.tsx';
import { logIn, type LoggedIn } from '../api/session.ts';

/** Shown without a session: how to get a URL that logs in, and a field for a token. */
export function LoginView({ onLogin }: { readonly onLogin: (session: LoggedIn) => void }) {
  const [problem, setProblem] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = fieldOf(event.currentTarget as HTMLFormElement, 'token');
    const session = await logIn({ token });
    if (session === undefined) setProblem('The API does not accept this token.');
    else onLogin(session);
  };
  return (
    <main class="login">
      <img src="/icon.svg" alt="" width="44" height="44" />
      <h1>apichain console</h1>
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
