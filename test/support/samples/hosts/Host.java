import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs samples by name: reads a name from each line, and prints the exit code that the sample would have. */
class Host {
    public static void main(String[] args) throws Exception {
        var console = System.out;
        var names = new BufferedReader(new InputStreamReader(System.in));
        for (var name = names.readLine(); name != null; name = names.readLine()) {
            var folder = Path.of(args[0], name);
            try (var out = new PrintStream(Files.newOutputStream(folder.resolve("stdout")));
                    var err = new PrintStream(Files.newOutputStream(folder.resolve("stderr")))) {
                System.setOut(out);
                System.setErr(err);
                console.println(run(Class.forName(name + ".Sample")));
            }
        }
    }

    private static int run(Class<?> sample) throws ReflectiveOperationException {
        var main = sample.getDeclaredMethod("main", String[].class);
        main.setAccessible(true);
        try {
            main.invoke(null, (Object) new String[0]);
            return 0;
        } catch (InvocationTargetException error) {
            error.getCause().printStackTrace();
            return 1;
        }
    }
}
