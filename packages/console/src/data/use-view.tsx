import { addressOf, type ViewData, type ViewRequest } from '@outrigger/console-contract';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Bones, Problem } from '../parts/problem.js';
import { askAgain, watchView } from './live.js';
import type { Shown } from './live-views.js';

/** Returns the current state of a view of the server, as long as the component is on the page. */
export function useView<Data>(request: ViewRequest): Shown<Data> {
  const address = addressOf(request);
  const [shown, setShown] = useState<{ address: string; value: Shown<Data> } | undefined>();
  // A layout effect runs before the browser paints the component, so the component never appears empty if another component already shows
  // the view.
  useLayoutEffect(() => {
    const { store, stop } = watchView(request);
    const update = () => setShown({ address, value: store.get() as Shown<Data> });
    update();
    const unsubscribe = store.subscribe(update);
    return () => {
      unsubscribe();
      stop();
    };
  }, [address]);
  return shown?.address === address ? shown.value : { data: undefined, error: undefined };
}

/** Shows a view, a placeholder while it loads, or its error. */
export function View<Data extends ViewData>(props: {
  name: string;
  /** The heading to show while the view loads or after it has failed. Needed only if the view itself draws the heading of the page. */
  heading?: string;
  request: ViewRequest;
  children: (data: Data) => ComponentChildren;
}): JSX.Element {
  const { data, error } = useView<Data>(props.request);
  const heading = props.heading !== undefined && <h1>{props.heading}</h1>;
  if (error !== undefined && data === undefined) {
    const title = error.code === 'not-found' ? `${props.name} does not exist` : `${props.name} cannot be shown`;
    return (
      <>
        {heading}
        <Problem title={title} detail={error.message} retry={() => askAgain(props.request)} />
      </>
    );
  }
  if (data === undefined) {
    return (
      <>
        {heading}
        <Bones />
      </>
    );
  }
  return (
    <>
      {error !== undefined && (
        <Problem title={`${props.name} may be out of date`} detail={error.message} retry={() => askAgain(props.request)} />
      )}
      {props.children(data)}
    </>
  );
}
