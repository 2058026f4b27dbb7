import { Component, type ComponentChildren } from 'preact';
import { Problem } from './problem.js';

/** Contains errors within a part of the page: a part that fails shows its error, and the other parts are not affected. */
export class ErrorBoundary extends Component<{ name: string; children: ComponentChildren }, { problem: string | undefined }> {
  override state: { problem: string | undefined } = { problem: undefined };

  static override getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ComponentChildren {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <Problem
        title={`${this.props.name} cannot be shown`}
        detail={problem}
        retry={() => {
          this.setState({ problem: undefined });
        }}
      />
    );
  }
}
